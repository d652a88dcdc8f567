// Leads a game with @sabaki/gtp as the controller: node sabaki.js FOLDER PROGRAM ARGUMENTS...
// FOLDER is where the package is installed. Writes one JSON object to standard output.
const [, , folder, program, ...args] = process.argv
const {Controller} = require(require.resolve('@sabaki/gtp', {paths: [folder]}))

async function main() {
  const engine = new Controller(program, args)
  engine.start()
  const send = async (name, ...words) => {
    const {content, error} = await engine.sendCommand({name, args: words})
    return {content, error}
  }
  const found = {}
  found.name = await send('name')
  found.commands = (await send('list_commands')).content.split('\n').length
  await send('boardsize', '9')
  await send('komi', '4')
  found.play = await send('play', 'B', 'J9')
  found.illegal = await send('play', 'W', 'J9')
  found.genmove = await send('genmove', 'W')
  found.stones = await send('list_stones', 'W')
  const lines = []
  const analysis = engine.sendCommand({name: 'kata-analyze', args: ['B', '10', 'ownership', 'true']}, ({line}) => lines.push(line))
  await new Promise(done => setTimeout(done, 400))
  const after = send('name')
  await analysis
  found.lines = lines.filter(line => line.startsWith('info ')).length
  found.after = await after
  found.together = (await Promise.all([send('undo'), send('undo'), send('undo')])).map(({error}) => error)
  await engine.stop()
  console.log(JSON.stringify(found))
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
