//go:build ollama && unix

package ollama_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// The models of the tests against a real server are computed, not trained: nothing is downloaded, and the same bytes come out every time.

// tinyChat is a one-layer Llama that knows, for each character, which one it likes to see next. Embeddings are one-hot, the layer is zero, the
// output matrix holds the scores. Pairs are two characters each; an earlier pair is liked better. Among characters of no pair the one of the
// lowest code wins. At temperature 0, and held to a schema by the server, the answer can be told beforehand.
func tinyChat(pairs ...string) []byte {
	tokens, types := []string{"<unk>", "<s>", "</s>"}, []int32{2, 3, 3}
	for b := range 256 {
		tokens, types = append(tokens, fmt.Sprintf("<0x%02X>", b)), append(types, 6)
	}
	const end = 2
	firstSign := len(tokens)
	for c := rune('!'); c <= '~'; c++ {
		tokens, types = append(tokens, string(c)), append(types, 1)
	}
	blank := len(tokens)
	for _, c := range "▁áàâãéêíóôõúçÁÀÂÃÉÊÍÓÔÕÚÇ" {
		tokens, types = append(tokens, string(c)), append(types, 1)
	}
	width := (len(tokens) + 31) / 32 * 32
	embd, output := make([]float32, len(tokens)*width), make([]float32, len(tokens)*width)
	norm := float32(math.Sqrt(float64(width))) // what the normalisation makes of a one-hot vector
	for prev := range tokens {
		embd[prev*width+prev] = 1
		for next := range tokens {
			score := float32(-20) // bytes and blanks
			if next >= firstSign && next != blank {
				score = -float32(next-firstSign) / 50
			}
			output[next*width+prev] = score / norm
		}
		output[end*width+prev] = -10 / norm // before blanks, after all that the schema still asks for
	}
	for i, pair := range slices.Backward(pairs) {
		prev, next := slices.Index(tokens, pair[:1]), slices.Index(tokens, pair[1:])
		output[next*width+prev] = (90 - float32(i)) / norm
	}
	const heads, hidden, window = 4, 32, 16384
	g := gguf{}
	g.set("general.architecture", "llama")
	g.set("general.name", "tiny-chat")
	g.set("general.file_type", uint32(0))
	g.set("llama.vocab_size", uint32(len(tokens)))
	g.set("llama.context_length", uint32(window))
	g.set("llama.embedding_length", uint32(width))
	g.set("llama.block_count", uint32(1))
	g.set("llama.feed_forward_length", uint32(hidden))
	g.set("llama.attention.head_count", uint32(heads))
	g.set("llama.attention.head_count_kv", uint32(heads))
	g.set("llama.attention.layer_norm_rms_epsilon", float32(1e-6))
	g.set("llama.rope.dimension_count", uint32(width/heads))
	g.set("llama.rope.freq_base", float32(10000))
	g.set("tokenizer.ggml.model", "llama")
	g.set("tokenizer.ggml.pre", "default")
	g.set("tokenizer.ggml.tokens", tokens)
	g.set("tokenizer.ggml.scores", make([]float32, len(tokens)))
	g.set("tokenizer.ggml.token_type", types)
	g.set("tokenizer.ggml.unknown_token_id", uint32(0))
	g.set("tokenizer.ggml.bos_token_id", uint32(1))
	g.set("tokenizer.ggml.eos_token_id", uint32(2))
	g.set("tokenizer.ggml.add_bos_token", true)
	g.set("tokenizer.ggml.add_eos_token", false)
	g.set("tokenizer.ggml.add_space_prefix", false)
	g.tensor("token_embd.weight", embd, width, len(tokens))
	g.tensor("output_norm.weight", repeat(width, 1), width)
	g.tensor("output.weight", output, width, len(tokens))
	g.tensor("blk.0.attn_norm.weight", repeat(width, 1), width)
	g.tensor("blk.0.ffn_norm.weight", repeat(width, 1), width)
	g.tensor("blk.0.ffn_gate.weight", repeat(width*hidden, 0), width, hidden)
	g.tensor("blk.0.ffn_up.weight", repeat(width*hidden, 0), width, hidden)
	g.tensor("blk.0.ffn_down.weight", repeat(width*hidden, 0), hidden, width)
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		g.tensor("blk.0."+part+".weight", repeat(width*width, 0), width, width)
	}
	return g.bytes()
}

// tinyEmbed is a one-layer BERT whose layer is zero, so that a text is the mean of its word pieces. Their vectors are random, seeded with the
// piece: texts that share words are near each other.
func tinyEmbed(dimensions int, words ...string) []byte {
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	control := len(tokens)
	for c := rune('!'); c <= 'z'; c++ {
		words = append(words, strings.ToLower(string(c)))
	}
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		tokens = append(tokens, "▁"+w, w)
	}
	types := make([]int32, len(tokens))
	embd := make([]float32, len(tokens)*dimensions)
	for i, token := range tokens {
		if types[i] = 1; i < control {
			types[i] = 3
			continue
		}
		seed := fnv.New64a()
		seed.Write([]byte(strings.TrimPrefix(token, "▁")))
		random := rand.New(rand.NewPCG(seed.Sum64(), 1))
		for j := range dimensions {
			embd[i*dimensions+j] = float32(random.NormFloat64())
		}
	}
	const window, hidden, heads = 512, 32, 12
	g := gguf{}
	g.set("general.architecture", "bert")
	g.set("general.name", "tiny-embed")
	g.set("general.file_type", uint32(0))
	g.set("bert.context_length", uint32(window))
	g.set("bert.embedding_length", uint32(dimensions))
	g.set("bert.feed_forward_length", uint32(hidden))
	g.set("bert.block_count", uint32(1))
	g.set("bert.attention.head_count", uint32(heads))
	g.set("bert.attention.layer_norm_epsilon", float32(1e-12))
	g.set("bert.attention.causal", false)
	g.set("bert.pooling_type", uint32(1))
	g.set("tokenizer.ggml.model", "bert")
	g.set("tokenizer.ggml.pre", "default")
	g.set("tokenizer.ggml.token_type_count", uint32(2))
	g.set("tokenizer.ggml.tokens", tokens)
	g.set("tokenizer.ggml.token_type", types)
	g.set("tokenizer.ggml.scores", make([]float32, len(tokens)))
	for i, role := range []string{"padding", "unknown", "cls", "seperator", "mask"} { //nolint:misspell // as GGUF spells it
		g.set("tokenizer.ggml."+role+"_token_id", uint32(i))
	}
	g.set("tokenizer.ggml.bos_token_id", uint32(2))
	g.set("tokenizer.ggml.eos_token_id", uint32(3))
	g.tensor("token_embd.weight", embd, dimensions, len(tokens))
	g.tensor("token_types.weight", repeat(2*dimensions, 0), dimensions, 2)
	g.tensor("position_embd.weight", repeat(window*dimensions, 0), dimensions, window)
	for _, part := range []string{"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		g.tensor(part+".weight", repeat(dimensions, 1), dimensions)
		g.tensor(part+".bias", repeat(dimensions, 0), dimensions)
	}
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		g.tensor("blk.0."+part+".weight", repeat(dimensions*dimensions, 0), dimensions, dimensions)
		g.tensor("blk.0."+part+".bias", repeat(dimensions, 0), dimensions)
	}
	g.tensor("blk.0.ffn_up.weight", repeat(dimensions*hidden, 0), dimensions, hidden)
	g.tensor("blk.0.ffn_up.bias", repeat(hidden, 0), hidden)
	g.tensor("blk.0.ffn_down.weight", repeat(dimensions*hidden, 0), hidden, dimensions)
	g.tensor("blk.0.ffn_down.bias", repeat(dimensions, 0), dimensions)
	return g.bytes()
}

func repeat(n int, value float32) []float32 { return slices.Repeat([]float32{value}, n) }

// gguf is a file of Ollama's model format, GGUF version 3.
type gguf struct {
	keys, infos, data bytes.Buffer
	nKeys, nInfos     uint64
}

func write(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			write(b, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func (g *gguf) set(key string, value any) {
	const u32, i32, f32, boolean, text, list = uint32(4), uint32(5), uint32(6), uint32(7), uint32(8), uint32(9)
	g.nKeys++
	write(&g.keys, key)
	switch v := value.(type) {
	case uint32:
		write(&g.keys, u32, v)
	case float32:
		write(&g.keys, f32, v)
	case bool:
		write(&g.keys, boolean, v)
	case string:
		write(&g.keys, text, v)
	case []int32:
		write(&g.keys, list, i32, uint64(len(v)), v)
	case []float32:
		write(&g.keys, list, f32, uint64(len(v)), v)
	case []string:
		write(&g.keys, list, text, uint64(len(v)))
		for _, s := range v {
			write(&g.keys, s)
		}
	default:
		panic(fmt.Sprintf("%s is a %T", key, value))
	}
}

// tensor adds 32-bit numbers; the dimension that varies fastest comes first.
func (g *gguf) tensor(name string, values []float32, dimensions ...int) {
	size := 1
	write(&g.infos, name, uint32(len(dimensions)))
	for _, d := range dimensions {
		write(&g.infos, uint64(d))
		size *= d
	}
	if size != len(values) {
		panic(fmt.Sprintf("%s has %d values for %v", name, len(values), dimensions))
	}
	g.nInfos++
	write(&g.infos, uint32(0), uint64(g.data.Len()))
	write(&g.data, values)
	align(&g.data)
}

func (g *gguf) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	write(&b, uint32(3), g.nInfos, g.nKeys, g.keys.Bytes(), g.infos.Bytes())
	align(&b)
	b.Write(g.data.Bytes())
	return b.Bytes()
}

func align(b *bytes.Buffer) {
	const border = 32
	b.Write(make([]byte, (border-b.Len()%border)%border))
}
