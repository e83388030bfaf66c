package cells

// Clip shortens text for an error.
func Clip(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}
