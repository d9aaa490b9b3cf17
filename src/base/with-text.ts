/** Makes `String(output)`, and an output in a template, its text. The fields and the JSON of the output stay the same. */
export function withText<Output extends { readonly raw: string }>(output: Output): Output {
  return Object.defineProperty({ ...output }, "toString", { value: () => output.raw });
}
