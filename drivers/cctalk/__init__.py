"""ccTalk drivers: bus and frames, coin acceptor, hopper and bill validator."""
