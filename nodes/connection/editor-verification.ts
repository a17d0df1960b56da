import { postJson } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { liveCheck } from "../lib/editor/live-check.ts";
import type { Answer, Owner } from "../lib/shared/form-types.ts";
import { field } from "./editor-fields.ts";
import { thresholdWarnings } from "./threshold.ts";

const OWNER_FIELDS = ["orgId", "creTenantId", "workflowOwner"] as const;

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
  const look = liveCheck<Answer<Owner>>(
    place,
    () => {
      place.empty();
      if (field("orgId") === "" || field("creTenantId") === "") return undefined;
      const body = Object.fromEntries(OWNER_FIELDS.map((name) => [name, field(name)]));
      return postJson("crec/connection/owner", { id: node.id, ...body });
    },
    (answer) => {
      // It is a help and no more: where it cannot be worked out, there is none.
      if (!answer || answer.problem !== undefined || answer.owner === "") return;
      const { owner, differs } = answer;
      place.text(node._(differs ? "connection.owner.differs" : "connection.owner.is", { owner }));
      place.css("color", differs ? "var(--red-ui-text-color-error)" : "");
    },
  );
  $(OWNER_FIELDS.map((name) => `#node-config-input-${name}`).join()).on("input change", () => look.soon());
  look.now();
}
