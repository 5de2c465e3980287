"""Votes between models: tables of battles and judges' verdicts, from files or from memory."""
