// Sites as tools see them: pages by their addresses, and what was asked of them.
import type { Answered, SeenRequest, ToolCallOptions } from "./tool-world.ts";

export type SitePage = string | Response | ((request: SeenRequest) => Response | Promise<Response>);

/** Answers of a site by address; everything else is 404. */
export function site(
  pages: Readonly<Record<string, SitePage>>,
): NonNullable<ToolCallOptions["answers"]> {
  return (request) => {
    const page = pages[request.url];
    if (page === undefined) return new Response("nothing here", { status: 404 });
    if (typeof page === "function") return page(request);
    return typeof page === "string" ? html(page) : page.clone();
  };
}

export function html(
  text: string | Uint8Array<ArrayBuffer>,
  type = "text/html; charset=utf-8",
): Response {
  return new Response(text, { headers: { "content-type": type } });
}

export function redirect(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

/** A body without end, in pieces. */
export function endless(piece = "word ", headers: Record<string, string> = {}): Answered {
  return () => {
    const bytes = new TextEncoder().encode(piece.repeat(16_384));
    let sent = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          sent += bytes.length;
          if (sent > 200 << 20) throw new Error("it is read on and on");
          controller.enqueue(bytes);
        },
      }),
      { headers: { "content-type": "text/html", ...headers } },
    );
  };
}
