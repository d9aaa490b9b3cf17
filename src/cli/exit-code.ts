/** 0 done; 1 failed; 2 wrong use; 3 needs a person; 4 not reachable or not allowed; 5 partly done; 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;
