import { Link } from "@tanstack/react-router";
import type { TargetDetails } from "../../api-types.ts";
import { Tests } from "./tests.tsx";
import { Trainings } from "./trainings.tsx";

/** Known quality of a crew. */
export default function CrewEvaluations({ target }: { readonly target: TargetDetails }) {
  return (
    <div className="stack">
      <p>
        <Link to="/evaluations" search={{ crew: target.name }} className="button">
          Compare two models
        </Link>
      </p>
      <Tests key={`tests ${target.name}`} target={target} />
      <Trainings key={`training ${target.name}`} target={target} />
    </div>
  );
}
