package ollama

import (
	"scrinalia/engine"
)

// Name is how the engine is chosen.
const Name = "ollama"

// Registrations are the adapters of every axis. env is the value of OLLAMA_HOST; it is read when an engine is described, and a
// broken one is reported there.
func Registrations(env string) []engine.Registration {
	return []engine.Registration{
		engine.ForNER(chatSpec(env, 1024), func(d engine.Description) (engine.NER, error) {
			c, err := newClient(d, env)
			return &recognizer{c}, err
		}),
		engine.ForClassification(chatSpec(env, 128), func(d engine.Description) (engine.Classifier, error) {
			c, err := newClient(d, env)
			return &classifier{c}, err
		}),
		engine.ForEmbeddings(embedSpec(env), func(d engine.Description) (engine.Embedder, error) {
			c, err := newClient(d, env)
			return &embedder{c, d.Int(optDimensions), d.Int(optBatch)}, err
		}),
		engine.ForLLMs(chatSpec(env, 256), func(d engine.Description) (engine.Judge, error) {
			c, err := newClient(d, env)
			return &judge{c}, err
		}),
		engine.ForTitleQuality(chatSpec(env, 256), func(d engine.Description) (engine.TitleChecker, error) {
			c, err := newClient(d, env)
			return &titleChecker{c}, err
		}),
	}
}

func chatSpec(env string, predict int64) engine.Spec {
	return engine.Spec{
		Name: Name, Label: "Ollama: a language model on your own server", Options: chatOptions(env, predict), Check: answerFits,
		Presets: []engine.Preset{
			{Name: "granite_local", Label: "Granite 4.1, 3B", Values: map[string]any{optModel: "granite4.1:3b"}},
			{Name: "gemma_4b_local", Label: "Gemma 4, E4B", Values: map[string]any{optModel: "gemma4:e4b"}},
		},
	}
}

func embedSpec(env string) engine.Spec {
	return engine.Spec{
		Name: Name, Label: "Ollama: an embedding model on your own server", Options: embedOptions(env),
		Presets: []engine.Preset{{
			Name: "multilingual_minilm", Label: "Multilingual MiniLM, 384 dimensions",
			Values: map[string]any{optModel: "paraphrase-multilingual-MiniLM-L12-v2", optDimensions: int64(384)},
		}},
	}
}
