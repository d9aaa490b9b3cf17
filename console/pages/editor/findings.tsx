import type { Graph, GraphNode } from "../../api-types.ts";
import { GraphView } from "../../parts/graph-view.tsx";
import { PlainText } from "../../parts/text.tsx";
import { errorText } from "../../shell/error-text.ts";
import type { DefinitionCheck, DefinitionFault } from "../definitions/requests.ts";

export type PlacedFault = DefinitionFault & {
  readonly line: number;
  readonly column: number;
  /** Place in the text. */
  readonly from: number;
  readonly to: number;
};

type Props = {
  readonly check: DefinitionCheck | undefined;
  /** Reason why the check failed. */
  readonly failure: Error | null;
  readonly faults: readonly PlacedFault[];
  readonly onChoose: (index: number) => void;
};

type LivePictureProps = {
  readonly graph: Graph;
  /** True if the picture shows the current text, not the last one without faults. */
  readonly isPresent: boolean;
  readonly onChoose: (node: GraphNode) => void;
};

/** Picture of the definition while its author types. A click on a node leads to its place in the text. */
export function LivePicture({ graph, isPresent, onChoose }: LivePictureProps) {
  return (
    <section className="card" aria-label="Picture">
      <header>
        <h2>Picture</h2>
        <span className="soft small" role="status">
          {isPresent ? "" : "of the last text without faults"}
        </span>
      </header>
      <div className={`card-body stack tight${isPresent ? "" : " outdated"}`}>
        <GraphView graph={graph} isFitted onChoose={onChoose} />
        {graph.warnings.map((warning) => (
          <p key={warning} className="small soft">
            <PlainText text={warning} />
          </p>
        ))}
      </div>
    </section>
  );
}

/** Findings of the server: faults with their places, and the requirements of a run. */
export function Findings({ check, failure, faults, onChoose }: Props) {
  return (
    <>
      <section className="card" aria-label="Faults">
        <header>
          <h2>Faults</h2>
          <span className={`badge${faults.length > 0 ? " bad" : ""}`}>{faults.length}</span>
        </header>
        {faults.length > 0 ? (
          <ul className="fault-list">
            {faults.map((fault, index) => (
              <li key={index}>
                <button type="button" onClick={() => onChoose(index)}>
                  <span className="mono soft">
                    {fault.line}:{fault.column}
                  </span>{" "}
                  <PlainText text={fault.message} />
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <p className="card-body soft">
            {failure !== null ? errorText(failure) : check === undefined ? "Checking …" : "None."}
          </p>
        )}
        {faults.length > 0 && (
          <p className="card-body small soft">
            <kbd>F8</kbd> goes to the next.
          </p>
        )}
      </section>
      {check?.ok === true && (
        <section className="card card-body stack tight" aria-label="Inputs">
          <h2>Inputs</h2>
          {check.inputs.length === 0 ? (
            <p className="soft">A run needs none.</p>
          ) : (
            <p className="cluster">
              {check.inputs.map((input) => (
                <span key={input} className="badge">
                  <PlainText text={input} />
                </span>
              ))}
            </p>
          )}
        </section>
      )}
      {(check?.ignored.length ?? 0) > 0 && (
        <section className="card card-body stack tight" aria-label="Without effect">
          <h2>Without effect here</h2>
          <ul className="stack tight small">
            {check?.ignored.map(({ path, message }) => (
              <li key={path + message}>
                <code>{path}</code> <PlainText text={message} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
