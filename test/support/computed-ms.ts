/**
 * Milliseconds that this thread has computed. For limits of work: a busy machine makes work late, and no longer.
 * What waits for another process or a timer takes none.
 */
export function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
