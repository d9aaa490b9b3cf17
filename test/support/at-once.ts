/**
 * Upper bound for work that is pushed and not polled, in milliseconds. It takes a few milliseconds on a machine at rest;
 * the bound leaves room for slow cores and stays below every interval at which the product polls or retries for good.
 */
export const AT_ONCE_MS = 5_000;
