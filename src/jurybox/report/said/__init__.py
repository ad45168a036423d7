"""What a report says of an analysis: its sentences, and tables and pairs as a reader wants them."""
