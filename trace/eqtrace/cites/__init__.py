"""Citations of code lines in prose: found in any repository, resolved, and held against names, history and a ledger.

The stages: `tree` (the repository's files), `documents` (which of them hold prose, and where in them), `forms` (the
citations in that prose), `resolve` (the file each means), `names` and `history` (evidence), `judge` (the verdict),
`fix`, `ledger` and `baseline` (what is done about it); `scan` runs them in order. Nothing here imports user code.
"""
