"""Hand-written gradients: a backward function held against the code's own forward.

`plan` reads what a `gradient` key says into functions, arguments and places; `identity` shows the adjoint identity in
dual balls; `floats` runs the unchanged code, for side effects and central differences.
"""
