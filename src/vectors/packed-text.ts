// Vectors as text, for records and columns limited to text: base64 of little-endian float32.

/** Encodes a vector. The text is a third longer than the bytes, and an eighth of the same numbers as JSON. */
export function toBase64(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  let text = "";
  // In chunks, as a call has a maximum number of arguments.
  for (let start = 0; start < bytes.length; start += 8192)
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}

/** Decodes a vector. Returns undefined unless the text is base64 of whole float32 numbers. */
export function fromBase64(text: string): Float32Array | undefined {
  let decoded: string;
  try {
    decoded = atob(text);
  } catch {
    return undefined;
  }
  if (decoded.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array(decoded.length);
  for (let index = 0; index < decoded.length; index++) bytes[index] = decoded.charCodeAt(index);
  return new Float32Array(bytes.buffer);
}
