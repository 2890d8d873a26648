extern int wrong;
#define WANT(got, want) do { if (!((got) == (want))) printf("%s:%d: %s is not %s\n", __FILE__, __LINE__, #got, #want), wrong++; } while (0)
int otherAlone();
