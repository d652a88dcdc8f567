"""Online games: hosting and joining them, requests, chat and the opponent's cursor."""
