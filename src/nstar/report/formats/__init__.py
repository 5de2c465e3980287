"""Convert a Document to text, one module per format."""
