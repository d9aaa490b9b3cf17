// Frames of an event stream, as its standard says them.

export type Frame = { readonly event: string; readonly data: string; readonly id: string };

/** The frames of a response, in their order. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  if (response.body === null) throw new Error("the response has no body");
  let text = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = fieldOf(block, "data");
      if (data !== "") yield { event: fieldOf(block, "event"), data, id: fieldOf(block, "id") };
    }
  }
}

function fieldOf(block: string, name: string): string {
  return block
    .split("\n")
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
    .join("\n");
}
