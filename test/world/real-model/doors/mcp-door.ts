// MCP's official client, which hears of progress.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Door } from "./door.ts";

export const mcpDoor: Door = async ({ worker, name, text, subject, isStream }) => {
  const client = new Client(
    { name: "world", version: "1" },
    { versionNegotiation: { mode: isStream ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${worker.url}/mcp`)));
  try {
    const field = subject.startsWith("agent/") ? "message" : "text";
    let steps = 0;
    const result = await client.callTool(
      { name, arguments: { [field]: text } },
      { onprogress: () => steps++, timeout: 110_000 },
    );
    const answer = (result.content as readonly { readonly text?: string }[])
      .map((part) => part.text ?? "")
      .join("");
    if (result.isError === true) throw new Error(answer);
    if (steps === 0) throw new Error("no progress was told");
    return { answer };
  } finally {
    await client.close();
  }
};
