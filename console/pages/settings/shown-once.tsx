import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";

type Props = {
  readonly what: string;
  readonly secret: string;
  readonly says: string;
  readonly onClose: () => void;
};

/** A secret, shown only once. */
export function ShownOnce({ what, secret, says, onClose }: Props) {
  return (
    <div className="note wait" role="status">
      <Icon name="completed" />
      <div>
        <strong>The {what} is shown now, and never again.</strong> {says}
        <div className="shown-once">
          <code data-secret>{secret}</code>
          <CopyButton text={secret} label={`Copy the ${what}`} />
          <button type="button" className="button small" onClick={onClose}>
            I have it
          </button>
        </div>
      </div>
    </div>
  );
}
