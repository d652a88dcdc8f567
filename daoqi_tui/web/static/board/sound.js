// The click of a stone, made here; nothing is heard until it is turned on.

let context = null;

export function click(captures) {
  context ??= new AudioContext();
  const { currentTime, sampleRate } = context;
  const length = captures ? 0.16 : 0.07;
  const buffer = context.createBuffer(1, sampleRate * length, sampleRate);
  const samples = buffer.getChannelData(0);
  // Wood: a short noise that dies away, twice for stones that are taken.
  samples.forEach((_, place) => {
    const time = place / sampleRate;
    const since = captures && time > 0.08 ? time - 0.08 : time;
    samples[place] = (2 * Math.random() - 1) * Math.exp(-since * 90) + Math.sin(since * 7000) * Math.exp(-since * 60);
  });
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1500, Q: 0.8 });
  source.connect(filter).connect(new GainNode(context, { gain: 0.5 })).connect(context.destination);
  context.resume();
  source.start(currentTime);
}
