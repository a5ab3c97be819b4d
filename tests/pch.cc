// Nothing of its own: the owner of the header that every test compiles against once.
