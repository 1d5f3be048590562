"""Suspicion: links held against the ledger of reviews, and what has changed since each was reviewed."""
