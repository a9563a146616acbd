"""What games are made with: reels, lines, ways, features, exact mathematics, kernels, PAR sheets and the workshop."""
