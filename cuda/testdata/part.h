int part(int x);
