// Package engine is what the workers' models look like from outside: an interface for each axis (NER, Classifier, Embedder,
// Judge, TitleChecker), and the Registry that knows which engines and presets an axis has. The registry turns engine,
// preset and overrides into a plain Description, and builds an engine from exactly that value, so that what is shown
// cannot differ from what runs. Describing builds nothing, opens nothing and reads no weights.
//
// It imports worker and the standard library. The engines live in sub-packages that import it, one Registration for each
// axis; package engine/all lists them.
package engine
