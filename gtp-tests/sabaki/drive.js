// Drives `tengen` with Sabaki's own library, as Sabaki 0.60 does: node drive.js PROGRAM.
'use strict'

const assert = require('assert')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const program = process.argv[2]
const INTERVAL = '10' // hundredths of a second

// Has an engine started, says hello as Sabaki does (all at once), and ends it afterwards.
async function withEngine(args, run) {
  const controller = new Controller(program, ['gtp', ...args])
  const tracker = new ControllerStateTracker(controller)
  controller.start()
  const hello = ['name', 'version', 'protocol_version', 'list_commands']
  const replies = await Promise.all(hello.map(name => controller.sendCommand({name})))
  assert(replies.every(reply => !reply.error))
  assert.deepStrictEqual([replies[0].content, replies[2].content], ['Tengen', '2'])
  const commands = replies[3].content.split('\n')
  assert(commands.every(name => /^\S+$/.test(name)), 'names without blanks')
  // Sabaki takes the first that is there, and reads its numbers by this choice.
  const first = (...names) => names.find(name => commands.includes(name))
  assert.strictEqual(first('genmove_analyze', 'kata-genmove_analyze'), 'kata-genmove_analyze')
  assert.strictEqual(first('analyze', 'kata-analyze'), 'kata-analyze')
  await run(controller, tracker)
  const began = Date.now()
  await controller.stop()
  assert(Date.now() - began < 2500, 'Sabaki did not have to kill it')
}

const stone = (color, vertex) => ({name: 'play', args: [color, vertex]})

// Whole game of two engines that take each other's moves through Sabaki's synchronization.
async function game() {
  await withEngine(['--visits', '50', '--threads', '1'], async (_, black) => {
    await withEngine(['--backend', 'rollout', '--visits', '100'], async (_, white) => {
      const history = []
      const sides = [[black, 'B'], [white, 'W']]
      for (let ply = 0; ; ply++) {
        assert(ply < 82, 'the game goes on for ever')
        const [tracker, color] = sides[ply % 2]
        await tracker.sync({komi: 6.5, boardsize: [9, 9], history})
        let vertex = null
        let lines = 0
        const response = await tracker.queueCommand(
          {name: 'kata-genmove_analyze', args: [color, INTERVAL]},
          ({line}) => {
            if (line.startsWith('info move ')) lines++
            const match = line.match(/^play (\S+)$/)
            if (match) vertex = match[1]
          }
        )
        assert(!response.error && vertex != null, response.content)
        if (vertex === 'resign') {
          assert(ply > 30, 'it resigns only at the end')
          return
        }
        assert(lines > 0, 'Sabaki draws its graph from what it reads')
        history.push(stone(color, vertex))
      }
    })
  })
}

// An analysis, ended in Sabaki's way, while the position moves on and back.
async function analysis() {
  await withEngine(['--threads', '1'], async (controller, tracker) => {
    const histories = [
      [],
      [stone('B', 'E5')],
      [stone('B', 'E5'), stone('W', 'C3'), stone('B', 'G7')],
      [stone('B', 'E5'), stone('W', 'C3')],
      [stone('B', 'D4'), stone('B', 'F6')]
    ]
    for (const history of histories) {
      await tracker.sync({komi: 0, boardsize: [9, 9], history})
      for (const name of ['kata-analyze', 'lz-analyze']) {
        const lines = []
        let enough
        const seen = new Promise(resolve => (enough = resolve))
        const running = tracker.queueCommand({name, args: ['B', INTERVAL]}, ({line}) => {
          if (line.startsWith('info ')) lines.push(line)
          if (lines.length === 3) enough()
        })
        await seen
        const [end, interrupt] = await Promise.all([
          running,
          controller.sendCommand({name: 'protocol_version'})
        ])
        assert(!end.error && !interrupt.error && interrupt.content === '2')
        for (const {args} of history) {
          assert(!lines.some(line => line.includes(`info move ${args[1]} `)), 'an occupied point')
        }
      }
    }
    const refused = await controller.sendCommand(stone('W', 'D4'))
    assert(refused.error && refused.content === 'illegal move: the point is occupied')
  })
}

// A game of Go with a handicap: another komi in its middle, a variation, an analysis, both passes.
async function handicap() {
  await withEngine(['--game', 'go', '--threads', '1', '--visits', '50'], async (controller, tracker) => {
    const setup = [{name: 'set_free_handicap', args: ['C3', 'G7']}]
    const histories = [
      [0.5, setup],
      [0.5, [...setup, stone('W', 'E5'), stone('B', 'E3'), stone('W', 'G5')]],
      [6.5, [...setup, stone('W', 'E5'), stone('B', 'E3')]],
      [6.5, [...setup, stone('W', 'C7'), stone('B', 'pass'), stone('W', 'pass')]],
      [0, [stone('B', 'D4'), stone('B', 'F6'), stone('W', 'E5')]]
    ]
    for (const [komi, history] of histories) {
      await tracker.sync({komi, boardsize: [9, 9], history})
      const board = await controller.sendCommand({name: 'showboard'})
      const stones = history.flatMap(({args}) => args).filter(word => /^[A-J][1-9]$/.test(word))
      assert.strictEqual(board.content.match(/ [XO](?= )/g).length, stones.length, board.content)
      let seen
      const line = new Promise(resolve => (seen = resolve))
      const running = tracker.queueCommand({name: 'kata-analyze', args: ['W', INTERVAL]}, ({line}) => {
        if (line.startsWith('info ')) seen(line)
      })
      const lead = (await line).match(/ scoreLead (\S+) /)
      assert(Number.isFinite(Number(lead[1])))
      await controller.sendCommand({name: 'protocol_version'})
      assert(!(await running).error)
    }
  })
}

async function main() {
  await game()
  await analysis()
  await handicap()
  console.log('passed')
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
