"""The bundled templates."""
