package modeltest

const FirstOf2026 = int64(1767225600e9)
