import { useState } from "react";
import { createRoot } from "react-dom/client";
import { client } from "./client.ts";
import { RunView } from "./run-view.tsx";

/** The id of the run is in the address: after a reload the page goes on with it. */
function Page() {
  const [id, setId] = useState(location.hash.slice(1));
  const show = (next: string) => {
    location.hash = next;
    setId(next);
  };
  return (
    <>
      <h1>A briefing</h1>
      {id === "" ? <TopicForm onStart={show} /> : <RunView key={id} id={id} />}
      {id !== "" && <button onClick={() => show("")}>Another one</button>}
    </>
  );
}

function TopicForm({ onStart }: { onStart: (id: string) => void }) {
  const [fault, setFault] = useState("");
  const start = async (form: FormData) => {
    try {
      const run = await client.flows.kickoff("briefing", { inputs: { topic: form.get("topic") as string } });
      onStart(run.id);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <form action={start}>
      <input name="topic" aria-label="Topic" placeholder="What is it about?" required />
      <button>Start</button>
      {fault !== "" && <p role="alert">{fault}</p>}
    </form>
  );
}

createRoot(document.getElementById("page")!).render(<Page />);
