package handlers

import (
	"net/http"
	"strconv"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// startPipeline starts every worker in order, asked for by a form or by JSON with the arguments of a run.
func (h *handlers) startPipeline(c echo.Context) error {
	r := worker.PipelineRequest{Trigger: worker.Panel, RequestedBy: "panel " + c.RealIP()}
	asks := sentJSON(c.Request()) || wantsJSON(c.Request()) && !sentForm(c.Request())
	if asks {
		order, err := decodeOrder(c.Request().Body)
		if err != nil {
			return err
		}
		r.Trigger, r.RequestedBy = worker.API, "API "+c.RealIP()
		if name := cleanName(order.By); name != "" {
			r.RequestedBy = name + ", " + r.RequestedBy
		}
		r.Arguments = worker.Settings{Engine: order.Engine, Preset: order.Preset, BatchSize: order.BatchSize, Options: order.Options}
	}
	p, err := h.panel.RunPipeline(c.Request().Context(), r)
	if err != nil {
		return err
	}
	if asks {
		c.Response().Header().Set(echo.HeaderLocation, views.PipelinePath(p.ID))
		return answerJSON(c, http.StatusCreated, p)
	}
	return seeOther(c, views.WorkersPath())
}

func pipelineID(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, worker.Errorf(worker.NotFound, "There is no pipeline %q.", cleanName(c.Param("id")))
	}
	return id, nil
}

// showPipeline shows one pipeline with its runs.
func (h *handlers) showPipeline(c echo.Context) error {
	id, err := pipelineID(c)
	if err != nil {
		return err
	}
	p, err := h.ledger.Pipeline(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, p)
	}
	page := views.PipelinePage{Frame: h.frame(c, views.PlaceWorkers), Pipeline: p, Labels: h.workerLabels()}
	return render(c, http.StatusOK, views.Pipeline(page), views.PipelinePart(page))
}

// cancelPipeline tells a pipeline to stop as a whole.
func (h *handlers) cancelPipeline(c echo.Context) error {
	id, err := pipelineID(c)
	if err != nil {
		return err
	}
	asks := wantsJSON(c.Request()) || sentJSON(c.Request())
	p, err := h.panel.CancelPipeline(c.Request().Context(), id, actor(c).Person)
	if err != nil {
		return err
	}
	if asks {
		return answerJSON(c, http.StatusAccepted, p)
	}
	if c.FormValue("back") == "workers" {
		return seeOther(c, views.WorkersPath())
	}
	return seeOther(c, views.PipelinePath(id))
}
