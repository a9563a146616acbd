"""Games declared as data: the declaration, and the play, scene, mathematics and reach that follow from it."""
