// A chat of assistant-ui with an agent of Edgecrew: tools in the page, questions to the person, approvals, and the state of a flow.
import { HttpAgent } from "@ag-ui/client";
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  AuiConfig,
  ComposerPrimitive,
  defineToolkit,
  MessagePrimitive,
  ThreadPrimitive,
  Tools,
} from "@assistant-ui/react";
import {
  useAgUiInterrupts,
  useAgUiRuntime,
  useAgUiSetState,
  useAgUiState,
  useAgUiSubmitInterruptResponses,
} from "@assistant-ui/react-ag-ui";
import { useEffect, useState, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";

/** Agent of the Worker, `?agent=clerk`, and thread, `&thread=…`: a reload shows the same conversation. */
const address = new URL(location.href);
const agentId = address.searchParams.get("agent") ?? "clerk";
const known = address.searchParams.get("thread");
const threadId = known ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

/** An agent of the Worker, on the page's own origin. */
class WorkerAgent extends HttpAgent {
  /** A run outlives its connection, so the stop button says that it is to end. */
  override abortRun(): void {
    void fetch(`${this.url}/threads/${this.threadId}/cancel`, { method: "POST" });
    super.abortRun();
  }
}

const agent = new WorkerAgent({ url: `/ag-ui/${agentId}`, threadId });

const tools = AuiConfig({
  tools: Tools({
    toolkit: defineToolkit({
      colour: {
        type: "frontend",
        description: "Paints the page.",
        parameters: z.object({ name: z.string() }),
        execute: ({ name }) => {
          document.body.dataset["colour"] = name;
          return `painted ${name}`;
        },
      },
      confirm: {
        type: "human",
        description: "Asks the person in front of the page.",
        parameters: z.object({ what: z.string() }),
        render: ({ args, result, addResult }) => (
          <fieldset aria-label="Question">
            <p>{args.what}</p>
            {result === undefined && <button onClick={() => addResult("yes")}>Yes</button>}
          </fieldset>
        ),
      },
    }),
  }),
});

function App(): ReactElement {
  const [failure, setFailure] = useState("");
  const runtime = useAgUiRuntime({ agent, onError: ({ message }) => setFailure(message) });
  useEffect(() => {
    // Without a message the Worker sends the thread: its messages, the open questions, and a run that goes on.
    if (known !== null) void runtime.thread.startRun({ parentId: null });
  }, [runtime]);
  return (
    <AssistantRuntimeProvider runtime={runtime} config={tools}>
      <SharedState />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <Interrupts />
        <p role="alert">{failure}</p>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ThreadPrimitive.If running>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </ThreadPrimitive.If>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function UserMessage(): ReactElement {
  return (
    <MessagePrimitive.Root>
      You: <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage(): ReactElement {
  return (
    <MessagePrimitive.Root>
      Agent: <MessagePrimitive.Parts />
      <ActionBarPrimitive.Root hideWhenRunning>
        <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

function Interrupts(): ReactElement {
  const interrupts = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const answer = (payload: unknown): void =>
    void submit(interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload })));
  return (
    <>
      {interrupts.map(({ id, message, reason }) => (
        <fieldset key={id} aria-label="Interrupt">
          <p>{message}</p>
          {reason === "input_required" ? (
            <button onClick={() => answer("green")}>Green</button>
          ) : (
            <>
              <button onClick={() => answer({ approved: true })}>Approve</button>
              <button onClick={() => answer({ approved: false })}>Refuse</button>
            </>
          )}
        </fieldset>
      ))}
    </>
  );
}

/** State that a flow shares with the page, which may change it. */
function SharedState(): ReactElement {
  const state = useAgUiState<{ n?: number }>() ?? {};
  const setState = useAgUiSetState<{ n?: number }>();
  return (
    <p>
      <output aria-label="State">{JSON.stringify(state)}</output>
      <button onClick={() => setState({ ...state, n: (state.n ?? 0) + 10 })}>Add ten</button>
    </p>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<App />);
