"""Votes between models: tables of votes and judges' verdicts, from files or memory."""
