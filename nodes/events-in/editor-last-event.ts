import { postJson, requestFailure } from "../common/editor/admin-requests.ts";
import type { EditedNode } from "../common/editor/api.ts";
import { askInDialog } from "../common/editor/dialog.ts";
import type { SentLast } from "../common/shared/form-types.ts";

/** A button that runs the flow with the newest matching event, after a question: other nodes really act on it. */
export function addLastEvent(node: EditedNode, container: JQuery): void {
  const row = $('<div class="form-row">').appendTo(container);
  const button = $('<button type="button" class="red-ui-button" id="crec-events-in-last">')
    .text(node._("events-in.panel.last"))
    .appendTo(row);
  const result = $('<div id="crec-events-in-last-result" role="alert">').appendTo(container);
  const say = (text: string) => {
    result.text(text).css("margin-bottom", text === "" ? "" : "12px");
    if (text !== "") result[0]?.scrollIntoView({ block: "nearest" });
  };
  const send = () => {
    say("");
    button.prop("disabled", true);
    postJson<SentLast>(`crec/events-in/${encodeURIComponent(node.id)}/last`, {})
      .then(
        (answer) => say(answer.problem === undefined ? describe(node, answer) : answer.problem),
        (failure: unknown) => say(requestFailure(node, failure, "crec.write")),
      )
      .finally(() => button.prop("disabled", false));
  };
  button.on("click", () =>
    askInDialog(node, {
      title: node._("events-in.panel.last-title"),
      content: $("<p>").text(node._("events-in.panel.last-explained")),
      action: node._("events-in.panel.last-action"),
      act: () => {
        send();
        return true;
      },
    }),
  );
}

function describe(node: EditedNode, sent: SentLast): string {
  if (sent.none) return node._("events-in.panel.last-none");
  const { output, topic, offset, why = "" } = sent;
  return node._(`events-in.panel.last-${output}`, { topic, offset, why });
}
