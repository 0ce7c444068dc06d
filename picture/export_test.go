package picture

// Inner parts that tests look at.
var (
	Shrink = shrink
	Allow  = Networks.allow
)
