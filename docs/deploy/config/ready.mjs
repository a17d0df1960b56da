// The readiness probe: httpGet cannot send a token from a secret. What it prints is in the events of the pod.
const response = await fetch(`http://127.0.0.1:${process.env.PORT || 1880}/crec/health`, {
  headers: { authorization: `Bearer ${process.env.CREC_MONITORING_TOKEN}` },
});
if (!response.ok) {
  process.stderr.write(`${response.status} ${await response.text()}\n`);
  process.exitCode = 1;
}
