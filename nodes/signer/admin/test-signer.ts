import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf } from "../../common/admin/answer.ts";
import type { SignerTestReport, SignerTestStarted } from "../../common/shared/form-types.ts";
import { longestSigning } from "../../common/shared/signer-kinds.ts";
import { openSigner } from "../open-signer.ts";
import { cancelTest, reportOf, startTest } from "./signer-tests.ts";
import { testedSigner } from "./tested-signer.ts";

/**
 * `POST /crec/signer/test`: signs a harmless document with the settings in the form. Since people may have to approve it,
 * it answers at once, with the id of the test.
 * `POST /crec/signer/test/:test`: how far it is. `POST /crec/signer/test/:test/cancel` ends it.
 */
export function registerSignerTest(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/signer/test", "crec.write", ({ body }): SignerTestStarted => {
    const { values, way, conceal } = testedSigner(RED, fieldsOf(body));
    const seconds = longestSigning({ kind: values.kind, timeout: values.text("timeout") });
    const timeoutMs = seconds === 0 ? undefined : seconds * 1000;
    return { test: startTest(() => openSigner(values, way), { timeoutMs, conceal }) };
  });
  answerForms(RED, "post", "/crec/signer/test/:test", "crec.write", ({ params }): SignerTestReport => {
    return reportOf(params.test ?? "");
  });
  answerForms(RED, "post", "/crec/signer/test/:test/cancel", "crec.write", ({ params }): object => {
    cancelTest(params.test ?? "");
    return {};
  });
}
