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
      {id === "" ? <NotesForm onStart={show} /> : <RunView key={id} id={id} />}
      {id !== "" && <button onClick={() => show("")}>Another one</button>}
    </>
  );
}

function NotesForm({ onStart }: { onStart: (id: string) => void }) {
  const [fault, setFault] = useState("");
  const start = async (form: FormData) => {
    try {
      const notes = form.get("notes") as string;
      const run = await client.flows.kickoff("briefing", { inputs: { notes } });
      onStart(run.id);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <form action={start}>
      <textarea name="notes" aria-label="Notes" rows={8} required defaultValue={SAMPLE} />
      <button>Write the report</button>
      {fault !== "" && <p role="alert">{fault}</p>}
    </form>
  );
}

const SAMPLE = `Tea is made from the leaves of Camellia sinensis. Black tea is oxidised, green tea is not.
It came to Europe in 1610, on Dutch ships. A cup of black tea has about 40 mg of caffeine.`;

createRoot(document.getElementById("page")!).render(<Page />);
