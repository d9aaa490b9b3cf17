/** `max_retry_limit` as `maxRetryLimit`; a name in camelCase stays as it is. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
