"""The methods paragraph, ready to paste, and the works it rests on."""
