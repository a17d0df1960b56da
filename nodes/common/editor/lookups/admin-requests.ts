import type { Answer, Problem } from "../../shared/form-types.ts";
import type { EditedNode } from "../api.ts";

/**
 * Questions of a form to our part of Node-RED. What goes wrong with them is an answer, too: a `Problem`. Only where
 * Node-RED refuses to ask, or does not answer, the promise is rejected: `requestFailure` says it in words.
 */
export function getJson<T>(url: string): Promise<Answer<T>> {
  return ask<T>({ url, method: "GET", dataType: "json" });
}

export function postJson<T>(url: string, question: object = {}): Promise<Answer<T>> {
  const data = JSON.stringify(question);
  return ask<T>({ url, method: "POST", contentType: "application/json", data, dataType: "json" });
}

/** @param permission that the question needs */
export function requestFailure(
  node: EditedNode,
  failure: unknown,
  permission: "crec.read" | "crec.write",
): string {
  return node._(`common.error.${refusalOf(failure) ?? "unanswered"}`, { permission });
}

/** Why Node-RED refuses a question, if it does. */
export function refusalOf(failure: unknown): "forbidden" | "logged-out" | undefined {
  const refused = failure as Partial<JQuery.jqXHR>;
  if (refused.status === 403) return "forbidden";
  if (refused.status !== 401) return undefined;
  // It asks for a login only where it does not know who is there: who is known lacks the permission.
  return refused.getResponseHeader?.("WWW-Authenticate") ? "logged-out" : "forbidden";
}

/** Of jQuery's, since Node-RED has taught that to log in. Errors come in the language of the editor. */
function ask<T>(settings: JQuery.AjaxSettings): Promise<Answer<T>> {
  const headers = { "Accept-Language": RED.i18n.lang() };
  return new Promise((resolve, reject) => {
    $.ajax({ ...settings, headers }).then(resolve, (failure: { responseJSON?: Partial<Problem> }) => {
      const { problem, code = "" } = failure.responseJSON ?? {};
      // Who asks too often is told when to ask again.
      if (problem === undefined) reject(failure);
      else resolve({ problem, code });
    });
  });
}
