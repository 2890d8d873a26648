// Package browser opens pages in headless Chromium, for tests.
//
//	p := browser.Open(t, "file:///tmp/page.html", 1300, 900)
//	p.Press("n")
//	p.Wait(`document.title === "done"`)
//
// A test that uses it begins with need.Tool(t, "chromium"). A message of the page on the console that
// is an error, or an exception that nothing catches, fails the test.
package browser

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Page is an open page.
type Page struct {
	t   testing.TB
	ctx context.Context
}

// limit bounds a test's time with a page.
const limit = 3 * time.Minute

// Open opens an address in a window of a size in pixels. The page closes with the test.
func Open(t testing.TB, url string, width, height int) *Page {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.WindowSize(width, height), chromedp.WSURLReadTimeout(limit))
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &Page{t, ctx}
	said := chromedp.Console(ctx)
	p.must(chromedp.Do(ctx, chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Navigate(url)), url)
	heard := make(chan []string)
	go func() {
		var errors []string
		for m, err := range said {
			if err == nil && (m.IsException() || m.Type == "error") {
				errors = append(errors, m.String())
			}
		}
		heard <- errors
	}()
	t.Cleanup(func() {
		cancel()
		if errors := <-heard; len(errors) > 0 {
			t.Errorf("the console of %s has errors: %q", url, errors)
		}
	})
	return p
}

// must ends the test at an error.
func (p *Page) must(err error, what string) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// Get returns the value of a JavaScript expression. A promise is awaited.
func Get[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	p.must(err, expression)
	return v
}

// Text returns the text of the element with an identifier.
func (p *Page) Text(id string) string {
	p.t.Helper()
	return Get[string](p, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// Click clicks the middle of the element that a CSS selector names first.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.Click(selector)), selector)
}

// Press types keys into the element that has the focus.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(keys)), keys)
}

// Wait waits until a JavaScript expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(limit)))
	p.must(err, expression)
}

// Picture returns a picture of the window, a PNG, for a person to look at.
func (p *Page) Picture() []byte {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	p.must(err, "picture")
	return picture
}
