"""Forms: parsed through a whitelist into terms, evaluated in float64 and in balls. Spec text is never evaluated."""
