"""ccTalk: bus and frames, coin acceptor, hopper and the bill validators that speak it."""
