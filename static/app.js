// What htmx does not do by itself: no polling in hidden tabs, slower polling while the server fails, and telling about both.
(function () {
  'use strict'
  var failures = 0
  var waitUntil = 0
  var open = [] // folds that a refresh must leave open

  function poll (event) {
    return event.detail.elt && event.detail.elt.hasAttribute('data-poll') && event.detail.requestConfig
      ? event.detail.requestConfig.verb === 'get' : false
  }

  function stale (show) {
    var slip = document.getElementById('stale')
    if (!slip) return
    var said = slip.querySelector('[data-text]')
    var read = document.querySelector('#read time')
    if (show) said.textContent = said.getAttribute('data-text').replace('{0}', read ? read.textContent : '')
    slip.hidden = !show
  }

  function failed () {
    failures++
    waitUntil = Date.now() + Math.min(30, Math.pow(2, failures)) * 1000
    stale(failures > 1)
  }

  // The summary is announced when it says something else than before, not on every refresh.
  function announce () {
    var from = document.querySelector('[data-summary]')
    var region = document.getElementById('announce')
    var text = from ? from.getAttribute('data-summary') : ''
    if (region && region.textContent !== text) region.textContent = text
  }

  document.addEventListener('htmx:beforeRequest', function (event) {
    if (poll(event) && (document.hidden || Date.now() < waitUntil)) event.preventDefault()
  })
  document.addEventListener('htmx:beforeSwap', function (event) {
    if (!poll(event)) return
    if (event.detail.xhr.status >= 400) {
      event.detail.shouldSwap = false
      failed()
      return
    }
    failures = 0
    waitUntil = 0
    stale(false)
    open = Array.from(document.querySelectorAll('#live details[id][open]'), function (d) { return d.id })
  })
  document.addEventListener('htmx:afterSwap', function () {
    open.forEach(function (id) {
      var fold = document.getElementById(id)
      if (fold) fold.open = true
    })
    open = []
    var flash = document.getElementById('flash')
    if (flash && flash.firstElementChild) flash.scrollIntoView({ block: 'nearest' })
  })
  document.addEventListener('htmx:beforeRequest', function (event) {
    var flash = document.getElementById('flash')
    if (flash && !poll(event)) flash.textContent = ''
  })
  document.addEventListener('htmx:sendError', function (event) { if (poll(event)) failed() })
  document.addEventListener('htmx:timeout', function (event) { if (poll(event)) failed() })
  document.addEventListener('htmx:afterSettle', announce)

  document.addEventListener('visibilitychange', function () {
    if (document.hidden) return
    waitUntil = 0
    document.querySelectorAll('[data-poll]').forEach(function (element) {
      if (window.htmx) window.htmx.trigger(element, 'poll')
    })
  })

  // Reviews: j and k go through the list, the letter on a button of the row decides, u undoes. Focus stays where the list goes on.
  var row = 0
  function rows () { return Array.from(document.querySelectorAll('[data-keys] [data-row]')) }
  function goTo (index, focus) {
    var list = rows()
    row = Math.max(0, Math.min(index, list.length - 1))
    list.forEach(function (r, i) { r.classList.toggle('now', i === row) })
    if (focus && list[row]) {
      list[row].focus({ preventScroll: true })
      list[row].scrollIntoView({ block: 'nearest' })
    }
  }
  document.addEventListener('keydown', function (event) {
    if (!document.querySelector('[data-keys]') || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
    if (event.target.closest('input, select, textarea')) return
    var key = event.key.toLowerCase()
    if (key === 'j' || key === 'k') {
      goTo(row + (key === 'j' ? 1 : -1), true)
      return
    }
    var current = rows()[row]
    var button = (current && current.querySelector('[data-key="' + CSS.escape(key) + '"]')) ||
      document.querySelector('[data-keys] > .slip [data-key="' + CSS.escape(key) + '"]')
    if (!button) return
    event.preventDefault()
    button.click()
  })
  document.addEventListener('focusin', function (event) {
    var inside = event.target.closest('[data-row]')
    if (inside) goTo(rows().indexOf(inside), false)
  })
  document.addEventListener('htmx:afterSettle', function (event) {
    if (event.target.closest('[data-keys]') && !poll(event)) goTo(row, true)
  })
  goTo(0, false)

  // Who types a value means it to be set.
  function means (event) {
    var value = event.target.closest ? event.target.closest('.cfg .val') : null
    var set = value && value.closest('fieldset').querySelector('[type=radio][value=set]')
    if (set) set.checked = true
  }
  document.addEventListener('input', means, true)
  document.addEventListener('change', means, true)

  // One menu at a time, closed by Escape or by a click elsewhere.
  function closeMenus (except) {
    document.querySelectorAll('details[name=menu][open]').forEach(function (menu) {
      if (menu !== except) menu.open = false
    })
  }
  document.addEventListener('click', function (event) {
    closeMenus(event.target.closest('details[name=menu]'))
  })
  document.addEventListener('keydown', function (event) {
    if (event.key !== 'Escape') return
    var menu = document.querySelector('details[name=menu][open]')
    if (!menu) return
    menu.open = false
    menu.querySelector('summary').focus()
  })
})()
