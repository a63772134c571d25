// The command line. Thin: everything it does is a call into the library.
int main() { return 0; }
