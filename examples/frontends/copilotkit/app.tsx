// A page with a chat of CopilotKit: tools in the page, questions to the person, approvals, and the state of a flow.
import {
  CopilotChat,
  CopilotKitProvider,
  useAgent,
  useCopilotKit,
  useFrontendTool,
  useHumanInTheLoop,
  useInterrupt,
} from "@copilotkit/react-core/v2";
import { useState, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";

/** Agent of the runtime, `?agent=clerk`, and thread, `&thread=…`: a reload shows the same conversation. */
const address = new URL(location.href);
const agentId = address.searchParams.get("agent") ?? "clerk";
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

function Page(): ReactElement {
  const [colour, setColour] = useState("white");
  useFrontendTool({
    name: "colour",
    description: "Paints the page.",
    parameters: z.object({ name: z.string() }),
    handler: async ({ name }) => {
      setColour(name);
      return `painted ${name}`;
    },
  });
  useHumanInTheLoop({
    name: "confirm",
    description: "Asks the person in front of the page.",
    parameters: z.object({ what: z.string() }),
    render: ({ args, status, respond }) => (
      <fieldset aria-label="Question">
        <p>{args.what}</p>
        {status === "executing" && <button onClick={() => respond("yes")}>Yes</button>}
      </fieldset>
    ),
  });
  useInterrupt({
    agentId,
    render: ({ interrupts = [], resolve }) => (
      <>
        {interrupts.map(({ id, message, reason }) => (
          <fieldset key={id} aria-label="Interrupt">
            <p>{message}</p>
            {reason === "input_required" ? (
              <input
                aria-label="Answer"
                onKeyDown={({ key, currentTarget }) =>
                  key === "Enter" && resolve(currentTarget.value, id)
                }
              />
            ) : (
              <>
                <button onClick={() => resolve({ approved: true }, id)}>Approve</button>
                <button onClick={() => resolve({ approved: false }, id)}>Refuse</button>
              </>
            )}
          </fieldset>
        ))}
      </>
    ),
  });
  const { agent } = useAgent({ agentId });
  const { copilotkit } = useCopilotKit();
  /** Asks again for an answer: the thread goes on after the message that it answers. */
  const answerAgain = async (messageId: string): Promise<void> => {
    const at = agent.messages.findIndex(({ id }) => id === messageId);
    const asked = agent.messages.slice(0, at).findLastIndex(({ role }) => role === "user");
    agent.setMessages(agent.messages.slice(0, asked + 1));
    await copilotkit.runAgent({ agent });
  };
  return (
    <main style={{ background: colour }} data-colour={colour}>
      <SharedState />
      <CopilotChat
        agentId={agentId}
        threadId={threadId}
        messageView={{ assistantMessage: { onRegenerate: ({ id }) => void answerAgain(id) } }}
      />
    </main>
  );
}

/** State that a flow shares with the page, which may change it. */
function SharedState(): ReactElement {
  const { agent } = useAgent({ agentId });
  const state = agent.state as { n?: number };
  return (
    <p>
      <output aria-label="State">{JSON.stringify(state)}</output>
      <button onClick={() => agent.setState({ ...state, n: (state.n ?? 0) + 10 })}>Add ten</button>
    </p>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <CopilotKitProvider runtimeUrl="/api/copilotkit">
    <Page />
  </CopilotKitProvider>,
);
