// A run with its growing text and its questions, the inbox of all runs, and a chat with an agent.
import { useState, type ReactNode, type SubmitEvent } from "react";
import { createRoot } from "react-dom/client";
import { createClient, type OpenWait, type Reply } from "edgecrew-client";
import {
  EdgecrewProvider,
  useConversation,
  useInbox,
  useKickoff,
  useRun,
  useText,
} from "edgecrew-client/react";

const client = createClient(); // the page's own origin; elsewhere { url, auth: () => getToken() }

function App(): ReactNode {
  return (
    <EdgecrewProvider client={client}>
      <Haiku />
      <Inbox />
      <Chat />
    </EdgecrewProvider>
  );
}

function Haiku(): ReactNode {
  // With idKey a reload shows the same run, and a double click starts one.
  const { kickoff, id, run, isPending, error, reset } = useKickoff("crew", "haiku", {
    idKey: "haiku",
  });
  const { state, answer } = run;
  return (
    <section aria-label="Haiku">
      <Form label="Topic" button="Write" onSend={(topic) => void kickoff({ topic })} />
      <p role="status">{isPending ? "starting" : (error?.message ?? state?.status)}</p>
      {id !== undefined && <Words id={id} />}
      {state?.waits.map((wait) => (
        <Question key={wait.key} wait={wait} onAnswer={(reply) => void answer(wait.key, reply)} />
      ))}
      {state?.status === "completed" && <button onClick={reset}>Another one</button>}
    </section>
  );
}

/** Alone, because it is drawn with every piece of text. */
function Words({ id }: { readonly id: string }): ReactNode {
  const said = useText(id);
  const { state: output } = useRun(id, { select: (run) => run.output });
  const raw = (output as { readonly raw?: string } | undefined)?.raw;
  return <pre>{raw ?? said}</pre>;
}

type QuestionProps = {
  readonly wait: Pick<OpenWait, "prompt" | "choices" | "answer">;
  readonly onAnswer: (reply: Reply) => void;
};

function Question({ wait, onAnswer }: QuestionProps): ReactNode {
  const { prompt = "Go on?", choices, answer } = wait;
  if (answer?.state === "sending" || answer?.state === "sent") return <p>Answered.</p>;
  return (
    <div role="group" aria-label={prompt}>
      {choices === undefined ? (
        <>
          <Form label={prompt} button="Answer" onSend={(feedback) => onAnswer({ feedback })} />
          <button onClick={() => onAnswer({ approve: true })}>Approve</button>
        </>
      ) : (
        choices.map((value) => (
          <button key={value} onClick={() => onAnswer({ value })}>
            {value}
          </button>
        ))
      )}
      <p role="alert">{answer?.error?.message}</p>
    </div>
  );
}

function Inbox(): ReactNode {
  const { items, answer, hasMore, more } = useInbox();
  return (
    <section aria-label="Inbox">
      <h2>{items.length} open questions</h2>
      {items.map((item) => (
        <article key={`${item.run.id} ${item.key}`}>
          <h3>{item.run.name}</h3>
          <Question wait={item} onAnswer={(reply) => void answer(item, reply)} />
        </article>
      ))}
      {hasMore && <button onClick={() => void more()}>More</button>}
    </section>
  );
}

function Chat(): ReactNode {
  const { messages, send, stop, status, error } = useConversation({ kind: "agent", name: "clerk" });
  const isBusy = status === "sending" || status === "running" || status === "queued";
  return (
    <section aria-label="Chat">
      <ol>
        {messages.map(({ role, content }, index) => (
          <li key={index}>
            <b>{role}</b> {content}
          </li>
        ))}
      </ol>
      <Form label="Message" button="Send" onSend={(text) => void send(text)} />
      {isBusy && <button onClick={() => void stop()}>Stop</button>}
      <p role="alert">{error?.message}</p>
    </section>
  );
}

type FormProps = {
  readonly label: string;
  readonly button: string;
  readonly onSend: (text: string) => void;
};

function Form({ label, button, onSend }: FormProps): ReactNode {
  const [text, setText] = useState("");
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onSend(text);
    setText("");
  };
  return (
    <form onSubmit={send}>
      <label>
        {label} <input required value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <button>{button}</button>
    </form>
  );
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
