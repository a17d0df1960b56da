import type { EditedNode } from "../lib/editor/api.ts";
import type { OwnerAnswer } from "../lib/form-types.ts";
import { field } from "./editor-fields.ts";
import { thresholdWarnings } from "./threshold.ts";

const OWNER_FIELDS = ["orgId", "creTenantId", "workflowOwner"] as const;
/** Typing should not ask at every key. */
const PAUSE_MS = 300;

/** Says while one types what is wrong with signers and threshold: that is hard to see from a flow. */
export function warnOfThreshold(node: EditedNode): void {
  const place = $("#crec-connection-threshold");
  const judge = (): void => {
    place.empty();
    for (const { key, values } of thresholdWarnings(field("validSigners"), field("minRequiredSignatures"))) {
      $("<div>").text(node._(key, values)).appendTo(place);
    }
  };
  $("#node-config-input-validSigners, #node-config-input-minRequiredSignatures").on("input change", judge);
  judge();
}

/** Shows the owner that stands for the organization, and says when another one is given beside it. */
export function showOwner(node: EditedNode): void {
  const place = $("#crec-connection-owner");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const ask = (): void => {
    asked += 1;
    const question = asked;
    place.empty();
    if (field("orgId") === "" || field("creTenantId") === "") return;
    const body = Object.fromEntries(OWNER_FIELDS.map((name) => [name, field(name)]));
    $.ajax({
      url: "crec/connection/owner",
      method: "POST",
      contentType: "application/json",
      data: JSON.stringify({ id: node.id, ...body }),
    }).then(
      ({ owner, differs }: OwnerAnswer) => {
        if (question !== asked || owner === "") return;
        place.text(node._(differs ? "connection.owner.differs" : "connection.owner.is", { owner }));
        place.css("color", differs ? "var(--red-ui-text-color-error)" : "");
      },
      // It is a help and no more: who may not read here sees none.
      () => undefined,
    );
  };
  $(OWNER_FIELDS.map((name) => `#node-config-input-${name}`).join()).on("input change", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  ask();
}
