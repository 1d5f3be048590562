"""Functions of NumPy and math, and what is known of them."""

UNARY = {"exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
SAME = {"abs", "absolute", "fabs", "square", "negative"}  # functions of one argument that keep its kind
REDUCING = {"sum", "max", "min", "cumsum", "sort", "transpose", "reshape", "copy"}  # these do, and take an axis
CHOOSING = {"maximum", "minimum", "fmax", "fmin"}
MADE = {"zeros", "ones", "zeros_like", "ones_like"}
COUNTING = {"argmax", "argmin", "argsort", "searchsorted"}
SPREADING = {"mean", "var", "std"}
TESTING = {"isfinite", "array_equal", "isclose", "logical_and", "logical_or"}

METHODS = REDUCING - {"sort"} | SPREADING | COUNTING - {"searchsorted"}  # of arrays, that change nothing

MOST = {  # pure functions: how many arguments they take before the one that some would write to
    **dict.fromkeys([*UNARY, *SAME, *MADE, "floor", "ceil", "isfinite"], 1),
    **dict.fromkeys([*REDUCING, *CHOOSING, *SPREADING, *COUNTING, *TESTING - {"isfinite"}], 2),
    **dict.fromkeys(["triu", "tril", "hypot", "dot", "matmul", "outer"], 2),
    **dict.fromkeys(["where", "arange"], 3),
}

BUILTINS = {"abs", "min", "max", "len", "int", "float", "sum", "range"}

DTYPES = {"float32", "float16", "bool_", "bool", "int"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}  # of numbers; those of float64 aside
