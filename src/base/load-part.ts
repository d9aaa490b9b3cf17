// Loads parts of the program when they are first needed.
const loading = new Set<Promise<unknown>>();

/** Loads a part, by a dynamic `import`. */
export async function loadPart<Part>(part: () => Promise<Part>): Promise<Part> {
  const loaded = part();
  loading.add(loaded);
  try {
    return await loaded;
  } finally {
    loading.delete(loaded);
  }
}

/**
 * Waits for all parts being loaded; resolves to true if there were any. A manual clock cannot account for their loading
 * time.
 */
export async function partsLoaded(): Promise<boolean> {
  if (loading.size === 0) return false;
  while (loading.size > 0) await Promise.allSettled(loading);
  return true;
}
