package ollama

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"scrinalia/engine"
	"scrinalia/worker"
)

// The options of the adapters.
const (
	optModel       = "model"
	optHost        = "host"
	optDimensions  = "dimensions"
	optDevice      = "device"
	optContext     = "num_ctx"
	optPredict     = "num_predict"
	optKeepAlive   = "keep_alive"
	optThink       = "think"
	optTimeout     = "timeout_seconds"
	optTemperature = "temperature"
	optBatch       = "batch"
)

const (
	deviceAuto = "auto"
	deviceCPU  = "cpu"
	thinkFalse = "false"
	thinkTrue  = "true"
	thinkUnset = "unset"
)

// commonOptions are those of every axis.
func commonOptions(env string, context, least float64) []engine.Option {
	host := option(optHost, worker.Text, "", "Address of the Ollama server; empty follows OLLAMA_HOST, else http://127.0.0.1:11434.")
	host.Normalise, host.Neutral = hostOption(env), true
	if unquote(env) != "" {
		host.Source = engine.FromEnvironment
	}
	model := option(optModel, worker.Text, "", "Name of the model, as `ollama list` prints it.")
	model.Normalise = modelOption
	device := option(optDevice, worker.Text, deviceAuto, "Where the model runs: auto leaves it to the server, cpu keeps it off the graphics card.")
	device.Choices, device.Neutral = []string{deviceAuto, deviceCPU}, true
	keep := option(optKeepAlive, worker.Text, "10m", "How long the server keeps the model loaded after a call: a duration such as 10m, or -1 for ever.")
	keep.Neutral = true
	keep.Normalise = func(v any) (any, error) {
		_, err := keepAlive(v.(string))
		return v, err
	}
	limit := bounded(optTimeout, worker.Number, 120.0, 0.1, 3600, "Time limit of one call, loading the model included, in seconds.")
	limit.Neutral = true
	return []engine.Option{
		model, host, device,
		bounded(optContext, worker.Integer, int64(context), least, 131072, "Window of the model, in tokens; longer texts are cut and counted as truncated."),
		keep, limit,
	}
}

// chatOptions are those of the axes that ask a language model; predict is the default length of an answer, in tokens.
func chatOptions(env string, predict int64) []engine.Option {
	think := option(optThink, worker.Text, thinkFalse, "Whether the model thinks before it answers; unset leaves it to the model.")
	think.Choices = []string{thinkFalse, thinkTrue, "low", "medium", "high", thinkUnset}
	return append(
		commonOptions(env, 4096, 1024), think,
		bounded(optPredict, worker.Integer, predict, 32, 8192, "Limit of the answer, in tokens; at most half of num_ctx."),
		bounded(optTemperature, worker.Number, 0.0, 0, 2, "0 answers the same to the same text."),
	)
}

func embedOptions(env string) []engine.Option {
	batch := bounded(optBatch, worker.Integer, int64(32), 1, 512, "Texts in one call.")
	batch.Neutral = true
	return append(
		commonOptions(env, 512, 64), batch,
		bounded(optDimensions, worker.Integer, int64(384), 1, 8192, "Length of the model's vectors; another length is refused."),
	)
}

// answerFits leaves room in the window for what is asked.
func answerFits(values map[string]any) map[string]string {
	predict, _ := values[optPredict].(int64)
	window, _ := values[optContext].(int64)
	if predict > window/2 {
		return map[string]string{optPredict: fmt.Sprintf("%d is more than half of num_ctx, which is %d; num_predict takes a whole number up to %d", predict, window, window/2)}
	}
	return nil
}

func option(name string, t worker.OptionType, value any, help string) engine.Option {
	return engine.Option{Option: worker.Option{Name: name, Type: t, Default: value, Help: help}}
}

func bounded(name string, t worker.OptionType, value any, low, high float64, help string) engine.Option {
	o := option(name, t, value, help)
	o.Min, o.Max = &low, &high
	return o
}

func modelOption(v any) (any, error) {
	s := v.(string)
	if s == "" || len(s) > 200 || slices.ContainsFunc([]rune(s), func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'`", r) }) {
		return nil, fmt.Errorf("%q is no name of a model; one looks like granite4.1:3b", s)
	}
	return s, nil
}

// keepAlive reads a duration; anything negative is for ever.
func keepAlive(s string) (time.Duration, error) {
	if s == "-1" {
		return -1, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not accepted; keep_alive takes a duration such as 10m or 90s, or -1 for ever", s)
	}
	return d, nil
}
